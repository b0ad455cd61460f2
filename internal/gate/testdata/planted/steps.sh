# Steps with planted failures, in place of the real ones: see TestPlanted.
planted=github.com/clew-run/clew/internal/gate/testdata/planted
always=
setup() { echo "nothing to set up"; }
fine() { go_tests fine -- $planted/fine; }
broken() { go_tests broken -- $planted/always; }
flaky() { go_tests flaky -flags "-run ${PLANTED_RUN:-TestSecond$}" -- $planted/second; }
raced() {
	export CGO_ENABLED=1
	go_tests raced -retries 0 -flags -race -- $planted/race
}
silent() { :; }
