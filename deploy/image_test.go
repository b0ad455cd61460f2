package deploy

import (
	"regexp"
	"strings"
	"testing"
)

// An image by its digest: others can move a tag.
var pinnedImage = regexp.MustCompile(`^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$`)

// The image of a release differs from the one that people build in where the program
// comes from, and in nothing else; all images that they start from are pinned.
func TestBothImagesAreTheSame(t *testing.T) {
	const base = "FROM docker.io/library/debian:"
	built := text(t, "Containerfile")
	_, built, _ = strings.Cut(built, base)
	_, released, _ := strings.Cut(text(t, "Containerfile.release"), base)
	want := strings.NewReplacer(
		"COPY --from=build /clew ", "ARG TARGETPLATFORM\nCOPY $TARGETPLATFORM/clew ",
		"COPY --from=build /THIRD_PARTY_LICENSES /src/LICENSE ", "COPY dist-packaging/licenses/linux/THIRD_PARTY_LICENSES LICENSE ",
	).Replace(built)
	if built == "" || released != want {
		t.Errorf("Containerfile.release has\n%s\nwant\n%s", released, want)
	}
	for _, found := range regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(text(t, "Containerfile"), -1) {
		if !pinnedImage.MatchString(found[1]) {
			t.Errorf("the image %s is not pinned", found[1])
		}
	}
}
