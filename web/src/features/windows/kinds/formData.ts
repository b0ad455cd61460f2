/** What a form holds, by the names of its controls: ticked or not, numbers as numbers, the rest as text. */
export function formData(form: HTMLFormElement): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const control of form.elements) {
    if (
      !(
        control instanceof HTMLInputElement ||
        control instanceof HTMLSelectElement ||
        control instanceof HTMLTextAreaElement
      ) ||
      control.name === ""
    )
      continue;
    if (control instanceof HTMLInputElement && control.type === "checkbox") out[control.name] = control.checked;
    else if (control instanceof HTMLInputElement && control.type === "number")
      out[control.name] = control.value === "" ? null : control.valueAsNumber;
    else out[control.name] = control.value;
  }
  return out;
}
