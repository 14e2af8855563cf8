/** The mark of an agent or advisor: the first letter of the name in a ring of its color. The name is always beside it. */
export function Avatar({ name, color }: { readonly name: string; readonly color: string | undefined }): React.ReactNode {
  const [letter = '?'] = [...name.trim()]
  return (
    <span
      className="avatar"
      aria-hidden="true"
      style={
        color === undefined || color === ''
          ? undefined
          : { borderColor: color, backgroundColor: `color-mix(in srgb, ${color} 16%, var(--card))` }
      }
    >
      {letter.toUpperCase()}
    </span>
  )
}
