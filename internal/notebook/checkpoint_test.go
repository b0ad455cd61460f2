package notebook

import (
	"encoding/json"
	"slices"
	"testing"
)

// What is on record of variables compares equal with what the kernel says of the same ones.
func TestDiffering(t *testing.T) {
	const said = `[{"name":"gone","type":"int","value":"1"},{"name":"mean","type":"float64","shape":[]},{"name":"n","type":"int","value":"1"},{"name":"t","type":"DataFrame","shape":[2,3]}]`
	list := func(text string) (l []variable) {
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	kept, err := json.Marshal(list(said))
	if err != nil {
		t.Fatal(err)
	}
	if names := differing(list(string(kept)), list(said)); len(names) > 0 {
		t.Errorf("the same differs: %v", names)
	}
	now := `[{"name":"mean","type":"float32","shape":[]},{"name":"n","type":"int","value":"2"},{"name":"new","type":"int"},{"name":"t","type":"DataFrame","shape":[2,4]}]`
	if got, want := differing(list(string(kept)), list(now)), []string{"gone", "mean", "n", "new", "t"}; !slices.Equal(got, want) {
		t.Errorf("%v differ, want %v", got, want)
	}
}
