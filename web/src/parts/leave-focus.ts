/** Of a button or a field that goes away once it was used: the focus must not go with it. */
export function leaveFocus(button: HTMLElement): void {
  button.closest<HTMLElement>('.scroller')?.focus({ preventScroll: true })
}
