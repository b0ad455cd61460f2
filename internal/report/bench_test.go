package report

import "testing"

func BenchmarkMake(b *testing.B) {
	in := sample()
	for b.Loop() {
		if _, err := Make(in, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
