package allow

import (
	_ "embed"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/mortise-dev/mortise/ext"
)

//go:embed default.txt
var shipped string

// Default are the rules that are shipped: the part of the standard library that computes,
// and the agent framework.
var Default = sync.OnceValue(func() *Rules {
	r, err := ParseRules(shipped)
	if err != nil {
		panic(err)
	}
	return r
})

// Rules are what may be used. They are not changed.
type Rules struct {
	modules map[string]members // by dotted name
	below   map[string]members // packages, with everything below
}

// members are the names of a module that may be used.
type members struct {
	names   map[string]int // how many arguments it may be called with; -1: it may be used
	classes bool           // every name that begins with a capital letter
}

const anyUse = -1

// builtins is the module of what needs no import.
const builtins = "builtins"

// ParseRules reads rules as default.txt has them.
func ParseRules(text string) (*Rules, error) {
	r := &Rules{modules: map[string]members{}, below: map[string]members{}}
	var of members
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		rest := line
		if line[0] != ' ' && line[0] != '\t' {
			module, names, ok := strings.Cut(line, ":")
			pkg, all := strings.CutSuffix(module, ".*")
			if !ok || !valid(pkg) {
				return nil, fmt.Errorf("line %d of the list is no module with its names: %s", n, ext.Quote(ext.Shorten(line, 80)))
			}
			rest = names
			of = r.of(pkg, all)
		}
		if of.names == nil {
			return nil, fmt.Errorf("line %d of the list goes on with nothing", n)
		}
		for name := range strings.FieldsSeq(rest) {
			if err := of.add(name); err != nil {
				return nil, fmt.Errorf("line %d of the list: %w", n, err)
			}
			if name == "@classes" {
				of = r.opened(of)
			}
		}
	}
	return r, nil
}

// of are the members of a module, which there is from then on.
func (r *Rules) of(module string, all bool) members {
	in := r.modules
	if all {
		in = r.below
	}
	m, ok := in[module]
	if !ok {
		m = members{names: map[string]int{}}
		in[module] = m
	}
	return m
}

// opened marks the module that has these members.
func (r *Rules) opened(of members) members {
	of.classes = true
	for _, in := range []map[string]members{r.modules, r.below} {
		for name, m := range in {
			if same(m.names, of.names) {
				in[name] = of
			}
		}
	}
	return of
}

// same reports whether two are one map.
func same(a, b map[string]int) bool {
	const mark = "\x00"
	a[mark] = 0
	_, is := b[mark]
	delete(a, mark)
	return is
}

func (m members) add(name string) error {
	if name == "@classes" {
		return nil
	}
	name, calls, limited := strings.Cut(name, "/")
	if !valid(name) || strings.Contains(name, ".") {
		return fmt.Errorf("%s is no name", ext.Quote(ext.Shorten(name, 80)))
	}
	most := anyUse
	if limited {
		n, err := strconv.Atoi(calls)
		if err != nil || n < 0 {
			return fmt.Errorf("%s is no number of arguments", ext.Quote(ext.Shorten(calls, 80)))
		}
		most = n
	}
	m.names[name] = most
	return nil
}

func valid(name string) bool {
	return name != "" && !strings.ContainsAny(name, " \t/@*:#")
}

// Named are rules of dotted names alone: each a name with its module, one that ends in
// ".*" for every name below a package that begins with a capital letter, and one without
// a dot for a name that needs no import. What can be no name is left out.
func Named(names []string) *Rules {
	r := &Rules{modules: map[string]members{}, below: map[string]members{}}
	for _, name := range names {
		if pkg, all := strings.CutSuffix(name, ".*"); all {
			if valid(pkg) {
				r.below[pkg] = members{r.of(pkg, true).names, true}
			}
			continue
		}
		module := builtins
		if at := strings.LastIndexByte(name, '.'); at > 0 {
			module, name = name[:at], name[at+1:]
		}
		if valid(module) && valid(name) {
			r.of(module, false).names[name] = anyUse
		}
	}
	return r
}

// With are r and what more allows besides.
func (r *Rules) With(more *Rules) *Rules {
	out := &Rules{modules: maps.Clone(r.modules), below: maps.Clone(r.below)}
	for _, in := range []struct{ to, from map[string]members }{{out.modules, more.modules}, {out.below, more.below}} {
		for module, m := range in.from {
			names := maps.Clone(m.names)
			if have, ok := in.to[module]; ok {
				maps.Copy(names, have.names)
				m.classes = m.classes || have.classes
			}
			in.to[module] = members{names, m.classes}
		}
	}
	return out
}

// known reports whether a module is on the list, by its name or with its package.
func (r *Rules) known(module string) bool {
	if _, ok := r.modules[module]; ok {
		return true
	}
	for p := module; ; {
		if _, ok := r.below[p]; ok {
			return true
		}
		at := strings.LastIndexByte(p, '.')
		if at <= 0 {
			return false
		}
		p = p[:at]
	}
}

// exact reports whether a module is on the list by its name, or is a package of one.
func (r *Rules) exact(module string) bool {
	for _, in := range []map[string]members{r.modules, r.below} {
		for name := range in {
			if name == module || strings.HasPrefix(name, module+".") {
				return true
			}
		}
	}
	return false
}

// member says how a name of a module may be used: ok is false where it may not, else most
// is how many arguments it may be called with, anyUse for any use.
func (r *Rules) member(module, name string) (most int, ok bool) {
	if m, here := r.modules[module]; here {
		if most, ok = m.names[name]; ok {
			return most, true
		}
		if m.classes && isClass(name) {
			return anyUse, true
		}
	}
	for p := module; ; {
		if m, here := r.below[p]; here {
			if most, ok = m.names[name]; ok {
				return most, true
			}
			if m.classes && isClass(name) && !foreign[name] {
				return anyUse, true
			}
		}
		at := strings.LastIndexByte(p, '.')
		if at <= 0 {
			return 0, false
		}
		p = p[:at]
	}
}

func isClass(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// foreign are classes of the standard library that reach files, processes or networks,
// and that any module may have imported.
var foreign = set("Path PosixPath WindowsPath Popen Process Pool ProcessPoolExecutor ThreadPoolExecutor Thread Timer TemporaryDirectory " +
	"NamedTemporaryFile TemporaryFile SpooledTemporaryFile ZipFile TarFile Request Session Client AsyncClient ClientSession HTTPConnection " +
	"HTTPSConnection FileIO TextIOWrapper FileHandler RotatingFileHandler TimedRotatingFileHandler SocketHandler HTTPHandler Unpickler Pickler " +
	"FunctionType CodeType ModuleType MethodType ForwardRef Formatter TypeAdapter CDLL PyDLL Interpreter PurePath PurePosixPath PureWindowsPath Repo Git")

// denied are attributes that are refused on everything: by them frames, code and loops are
// reached, and they are what programs are started with.
var denied = set("f_back f_builtins f_code f_globals f_locals gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await cr_origin ag_frame ag_code ag_await " +
	"tb_frame tb_next tb_lasti func_globals func_code get_loop get_event_loop get_running_loop get_stack run_in_executor subprocess_exec subprocess_shell " +
	"create_subprocess_exec create_subprocess_shell popen Popen check_output check_call getoutput getstatusoutput import_module exec_module load_module " +
	"execv execve execvp execvpe execl execle execlp execlpe spawnv spawnve spawnvp spawnvpe spawnl spawnle spawnlp spawnlpe posix_spawn posix_spawnp " +
	"fork forkpty")

// special are the attributes with two underscores on either side that may be read, and the
// methods that may be defined.
var special = set("__init__ __new__ __post_init__ __name__ __qualname__ __doc__ __class__ __str__ __repr__ __bytes__ __format__ __hash__ __bool__ __len__ " +
	"__length_hint__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __call__ __getitem__ __setitem__ __delitem__ __missing__ __contains__ __iter__ __next__ " +
	"__reversed__ __aiter__ __anext__ __await__ __enter__ __exit__ __aenter__ __aexit__ __add__ __sub__ __mul__ __matmul__ __truediv__ __floordiv__ __mod__ " +
	"__divmod__ __pow__ __lshift__ __rshift__ __and__ __xor__ __or__ __radd__ __rsub__ __rmul__ __rmatmul__ __rtruediv__ __rfloordiv__ __rmod__ __rdivmod__ " +
	"__rpow__ __rlshift__ __rrshift__ __rand__ __rxor__ __ror__ __iadd__ __isub__ __imul__ __imatmul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ " +
	"__ilshift__ __irshift__ __iand__ __ixor__ __ior__ __neg__ __pos__ __abs__ __invert__ __complex__ __int__ __float__ __index__ __round__ __trunc__ " +
	"__floor__ __ceil__ __copy__ __deepcopy__ __fspath__ __members__ __args__ __origin__ __cause__ __context__ __notes__ __init_subclass__ __set_name__ " +
	"__class_getitem__ __sizeof__ __del__")

// loaded and assigned are names with two underscores on either side that may be read, and
// set, without anything before them.
var (
	loaded   = set("__name__ __file__ __doc__ __debug__ __class__ __all__ __version__ __author__ __slots__")
	assigned = set("__all__ __version__ __author__ __slots__ __doc__ __match_args__ __hash__")
)

// needless are all names that Python has without an import and that are not on the list of
// any rules: they stay what they are where a file binds them in another place.
var needless = set("BaseException BaseExceptionGroup GeneratorExit KeyboardInterrupt PythonFinalizationError SystemExit breakpoint compile copyright credits " +
	"delattr dir eval exec exit getattr globals hasattr help input license locals open quit setattr vars")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

func dunder(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// plainEncodings are those in which the bytes of a file mean what they are read as.
var plainEncodings = set("utf-8 utf8 ascii us-ascii")

// cookie is in which line a file asks Python to read it in another encoding, in which its
// bytes could mean something else, and in which; line 0 where it does not.
func cookie(src []byte) (line int, encoding string) {
	head := strings.ReplaceAll(string(src[:min(len(src), 4096)]), "\r", "\n")
	for i, text := range strings.SplitN(head, "\n", 3) {
		_, said, ok := strings.Cut(text, "coding")
		if i == 2 || !ok || !strings.HasPrefix(strings.TrimLeft(text, " \t\f"), "#") || said == "" || said[0] != ':' && said[0] != '=' {
			continue
		}
		words := strings.FieldsFunc(strings.ToLower(said[1:]), func(r rune) bool { return r == ' ' || r == '\t' })
		if len(words) > 0 && !plainEncodings[strings.ReplaceAll(words[0], "_", "-")] {
			return i + 1, ext.Shorten(words[0], 40)
		}
	}
	return 0, ""
}
