package config
import ("testing";"fmt";"strings";"time")
func TestZ(t *testing.T){
 var b strings.Builder
 for i:=0;b.Len()<900_000;i++ { fmt.Fprintf(&b,"[plugins.a%d]\npath=\"./x\"\nsettings={q=1}\n",i) }
 s:=time.Now(); c,f:=build(Inputs{},[]content{{layer:Shared,file:"x",dir:"/ws",data:[]byte(b.String())}}); t.Log(len(c.Plugins),len(f),time.Since(s))
 b.Reset()
 for i:=0;b.Len()<900_000;i++ { fmt.Fprintf(&b,"k%d=1\n",i) }
 s=time.Now(); c,f=build(Inputs{},[]content{{layer:Shared,file:"x",dir:"/ws",data:[]byte(b.String())}}); t.Log(len(c.Plugins),len(f),time.Since(s))
}
