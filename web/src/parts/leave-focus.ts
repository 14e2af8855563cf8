/** Of a button that goes away when somebody begins to speak: the focus must not go with it. */
export function leaveFocus(button: HTMLElement): void {
  button.closest<HTMLElement>('.scroller')?.focus({ preventScroll: true })
}
