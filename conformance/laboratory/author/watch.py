# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""Watches a client of PJRT do what its users do, with a plugin that lacks something.

Reads jobs from standard input, a JSON object on each line: the number of the job, the variables that say what is wrong
with the plugin, and the user actions to take. A process forked from this one takes them. For each job a line of JSON
says how each action ended, what it called, and how the process ended.

As a program, with the path of another one, it has that one take the actions: see pjrt/gomlx/internal/drive.
"""

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def child(job, folder, report, take):
    """Has the actions of a job taken. What they print goes to the log."""
    os.setsid()
    log = os.open(os.path.join(folder, "log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for fd in (1, 2):
        os.dup2(log, fd)
    sys.stdin = open(os.devnull)
    os.dup2(sys.stdin.fileno(), 0)
    for name, value in (job["variables"] or {}).items():
        os.environ[name] = value
    trace = os.path.join(folder, "trace.txt")
    os.environ.update(PJRT_SHIM_TRACE=trace, PJRT_SHIM_TRACE_BEGIN="1", PJRT_SHIM_TRACE_TEXT="1", GOTRACEBACK="none")

    def tell(**what):
        what["trace"] = os.path.getsize(trace) if os.path.exists(trace) else 0
        os.write(report, (json.dumps(what) + "\n").encode())

    take(job["actions"], tell, report)


def processor_time(pid):
    """Processor time of a process so far, in seconds."""
    try:
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


IDLE, LONGEST = 20, 300  # seconds without processor time, and in all, after which an action hangs


def watch(pid, pipe):
    """Returns what a child reports, its exit status, and whether it hung."""
    text, status, hung = b"", None, False
    began = idle = time.monotonic()
    used, open_ = -1.0, True
    while status is None:
        if open_ and select.select([pipe], [], [], 0.2)[0]:
            data = os.read(pipe, 1 << 16)
            text, open_ = text + data, bool(data)
            began = idle = time.monotonic()
            continue
        if not open_:
            time.sleep(0.01)
        now, u = time.monotonic(), processor_time(pid)
        if u > used + 0.02:
            used, idle = u, now
        hung = now - idle > IDLE or now - began > LONGEST
        if hung:
            os.killpg(pid, signal.SIGKILL)
        done, code = os.waitpid(pid, 0 if hung else os.WNOHANG)
        if done:
            status = code
    while open_ and (data := os.read(pipe, 1 << 16)):
        text += data
    return [json.loads(l) for l in text.split(b"\n") if l], status, hung


def calls(trace, begin, end):
    """Counts the calls in a part of the trace, and names those under way at its end."""
    count, open_ = {}, {}
    for line in trace[begin:end].split(b"\n"):
        m = re.match(rb"[\d.]+ #(\d+) \[\d+\] (\w+)\(", line)
        if not m:
            continue
        number, name = m[1], m[2].decode()
        if line.endswith(b" ..."):
            count[name] = count.get(name, 0) + 1
            open_[number] = name
        else:
            open_.pop(number, None)
    return count, list(open_.values())


def reason(log):
    """Returns the line of a dead process's log that says why."""
    lines = log.decode(errors="replace").splitlines()
    for l in lines:
        m = re.match(r"F\d{4} .*?\] (.*)", l)
        if m:
            return m[1]
    for l in lines:
        if re.search(r"RAW: |terminate called|what\(\)|free\(\)|malloc|^panic: |^fatal error: |^SIG[A-Z]+: ", l):
            return l.strip()
    return ""


def contents(folder, name):
    try:
        with open(os.path.join(folder, name), "rb") as f:
            return f.read()
    except FileNotFoundError:
        return b""


SERVER = os.getpid()


def run(job, take):
    # Not a TemporaryDirectory, which the child would remove as it ends.
    folder = tempfile.mkdtemp()
    try:
        pipe, report = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(pipe)
            child(job, folder, report, take)
        os.close(report)
        lines, status, hung = watch(pid, pipe)
        os.close(pipe)
        trace, log = contents(folder, "trace.txt"), contents(folder, "log")
    finally:
        if os.getpid() == SERVER:
            shutil.rmtree(folder)
    results, begun = [], None
    for l in lines:
        if "begin" in l:
            begun = l
            continue
        count, _ = calls(trace, begun["trace"], l["trace"])
        results.append({"action": l["end"], "calls": count, "seen": l.get("seen"), "exception": l.get("exception")})
        begun = None
    if begun:
        count, under_way = calls(trace, begun["trace"], len(trace))
        last = {"action": begun["begin"], "calls": count, "seen": None, "exception": None}
        if hung:
            last["hung"] = under_way
        elif status != 0:
            code = os.waitstatus_to_exitcode(status)
            last["died"] = {"how": signal.Signals(-code).name if code < 0 else f"exit status {code}", "in": under_way, "why": reason(log)}
        results.append(last)
    return {"job": job["job"], "results": results}


def main(hello, take):
    """Serves jobs. take is given the actions of each, tells of them, and ends the process, which is one of its own."""
    answers = os.fdopen(os.dup(1), "w")
    hello["threads"] = len(os.listdir("/proc/self/task"))
    print(json.dumps(hello), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line), take)), file=answers, flush=True)


def program(path):
    """Returns a function for main that has a program take the actions."""

    def take(actions, tell, report):
        os.set_inheritable(report, True)
        os.environ["CALLER_REPORT"] = str(report)
        os.execv(path, [path, *actions])

    return take


if __name__ == "__main__":
    main(json.loads(subprocess.check_output([sys.argv[1], "hello"])), program(sys.argv[1]))
