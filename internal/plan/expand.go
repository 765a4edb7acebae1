package plan

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/mortise-dev/mortise/internal/hook/secret"
	"github.com/mortise-dev/mortise/internal/surface"
)

// WorkspaceVariable stands in answers for the directory of the worktree.
const WorkspaceVariable = "${WORKSPACE}"

// expand replaces, in every text of an answer, what stands for a directory. Nothing else
// is expanded: another "${…}" is text. An extension without a directory keeps the words.
func expand(value *any, worktree string, dirs Dirs) {
	pairs := []string{WorkspaceVariable, worktree}
	if dirs.Root != "" {
		pairs = append(pairs, surface.RootVariable, dirs.Root)
	}
	if dirs.Data != "" {
		pairs = append(pairs, surface.DataVariable, dirs.Data)
	}
	replace := strings.NewReplacer(pairs...)
	v := reflect.ValueOf(*value)
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	texts(out, replace)
	*value = out.Interface()
}

var rawType = reflect.TypeFor[json.RawMessage]()

// texts replaces in all texts below a value, and leaves what it was made from as it was.
func texts(v reflect.Value, replace *strings.Replacer) {
	switch v.Kind() {
	case reflect.String:
		if strings.Contains(v.String(), "${") {
			v.SetString(replace.Replace(v.String()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				texts(v.Field(i), replace)
			}
		}
	case reflect.Slice:
		if v.IsNil() || v.Type() == rawType {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			texts(own.Index(i), replace)
		}
		v.Set(own)
	case reflect.Map:
		if v.IsNil() || v.Type().Elem().Kind() != reflect.String {
			return
		}
		own := reflect.MakeMapWithSize(v.Type(), v.Len())
		for k, e := range v.Seq2() {
			one := reflect.New(v.Type().Elem()).Elem()
			one.Set(e)
			texts(one, replace)
			own.SetMapIndex(k, one)
		}
		v.Set(own)
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		texts(own.Elem(), replace)
		v.Set(own)
	}
}

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

// completed is a secret with what it does not say taken from another.
func completed(one, from any) any {
	s, ok := one.(secret.Secret)
	f, same := from.(secret.Secret)
	if !ok || !same {
		return one
	}
	if s.Label == "" {
		s.Label = f.Label
	}
	if s.How == "" {
		s.How = f.How
	}
	if s.Pattern == "" {
		s.Pattern = f.Pattern
	}
	s.Base64 = s.Base64 || f.Base64
	return s
}
