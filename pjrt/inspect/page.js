"use strict";
// The search shows the lines that contain the text, in the computations that have any.
(() => {
  const input = document.getElementById("search"), found = document.getElementById("found");
  if (!input) return;
  const all = [...document.querySelectorAll(".computation")].map((box) => {
    const pre = box.querySelector("pre");
    return { box, pre, name: box.querySelector("code").textContent.toLowerCase(), text: pre.textContent, open: box.open };
  });
  let waiting = 0;
  const search = () => {
    const word = input.value.trim().toLowerCase();
    let lines = 0, places = 0;
    for (const c of all) {
      if (!word) {
        c.box.hidden = false;
        c.box.open = c.open;
        if (c.pre.textContent.length !== c.text.length) c.pre.textContent = c.text;
        continue;
      }
      const hits = c.text.split("\n").filter((line) => line.toLowerCase().includes(word));
      const named = c.name.includes(word);
      c.box.hidden = !hits.length && !named;
      if (c.box.hidden) continue;
      lines += hits.length;
      places++;
      c.box.open = true;
      c.pre.textContent = hits.length ? hits.join("\n") : c.text;
    }
    found.textContent = word ? lines + (lines === 1 ? " line in " : " lines in ") + places + (places === 1 ? " computation" : " computations") : "";
  };
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
})();
