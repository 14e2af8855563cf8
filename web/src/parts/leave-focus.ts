/** Moves the focus to the transcript before a focused button or field goes away, so that the focus is not lost. */
export function leaveFocus(button: HTMLElement): void {
  button.closest<HTMLElement>('.scroller')?.focus({ preventScroll: true })
}
