package view

import (
	"reflect"
	"testing"

	"github.com/clew-run/clew"
)

// What differs in any field is sent to those who follow.
func TestNotebooksAndCellsDifferInEveryField(t *testing.T) {
	book := new(clew.NotebookInfo)
	each(t, reflect.ValueOf(book).Elem(), "NotebookInfo", func() bool { return sameNotebook(new(clew.NotebookInfo), book) })
	cell := new(clew.CellInfo)
	each(t, reflect.ValueOf(cell).Elem(), "CellInfo", func() bool { return sameCell(new(clew.CellInfo), cell) })
}

// each sets one field after the other, and those of structs in it.
func each(t *testing.T, v reflect.Value, path string, same func() bool) {
	t.Helper()
	for i := range v.NumField() {
		f, name := v.Field(i), path+"."+v.Type().Field(i).Name
		switch f.Kind() {
		case reflect.Struct:
			each(t, f, name, same)
			continue
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int, reflect.Int64:
			f.SetInt(1)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		default:
			t.Fatalf("%s is a %s", name, f.Kind())
		}
		if same() {
			t.Errorf("%s may change unseen", name)
		}
		f.SetZero()
	}
}
