package requirements

import (
	"errors"
	"fmt"
)

// Check says where rows and tests disagree: a row that behaves has a test, and no
// test claims a row that does not.
func Check(rows []Row, found Coverage) error {
	var problems []error
	for _, row := range rows {
		refs := found[row.ID]
		switch {
		case row.State == Behaves && len(refs) == 0:
			problems = append(problems, fmt.Errorf("%s behaves, says rows.txt, and no test shows it", row.ID))
		case row.State != Behaves && len(refs) > 0:
			problems = append(problems, fmt.Errorf("%s covers %s, which is %s in rows.txt", refs[0].Label, row.ID, row.State))
		}
	}
	return errors.Join(problems...)
}
