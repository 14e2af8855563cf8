/** The colours that voices are given, in the gateway's own order, with names for whoever does not see them. */
export const COLORS: readonly { readonly name: string; readonly hex: string }[] = [
  { name: 'Blue', hex: '#1a71b6' },
  { name: 'Orange', hex: '#d67a0e' },
  { name: 'Green', hex: '#21a378' },
  { name: 'Mauve', hex: '#b87db6' },
  { name: 'Brown', hex: '#a15b09' },
  { name: 'Periwinkle', hex: '#8683f4' },
  { name: 'Olive', hex: '#989448' },
  { name: 'Slate', hex: '#6a6b7c' },
  { name: 'Violet', hex: '#7355d7' },
  { name: 'Rose', hex: '#d55463' },
  { name: 'Umber', hex: '#916335' },
  { name: 'Grey', hex: '#7e9496' },
]

/** What a colour is called; one of somebody's own is called as it is written. */
export const colorName = (color: string | undefined): string =>
  color === undefined || color === '' ? 'None' : (COLORS.find(({ hex }) => hex === color.toLowerCase())?.name ?? color)
