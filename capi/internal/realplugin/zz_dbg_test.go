//go:build skew
package realplugin_test
import ("testing";"fmt";"strings";"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest")
func TestDbg(t *testing.T){
	p := open(t, plugintest.Path(t, "tpu@0.0.2"))
	x := p.topology(t, "v4:2x2x1")
	for _, s := range []string{addProgram, addProgram+"\n", addProgram+"\x00", strings.ReplaceAll(addProgram,"@add4 ",""), matrix2} {
	_, err := try(p, compileFor(x, s, oneDevice))
	fmt.Println(err)
	}
	for _, o := range [][]byte{{0x1a,4,0x20,1,0x28,1}, {0x1a,6,0x20,1,0x28,1,0x08,0}} {
	_, err := try(p, compileFor(x, addProgram, o))
	fmt.Println(err)
	}
}
const matrix2 = `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}`
