/** The colors of voices in the gateway's own order, with names for people who cannot see them. */
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

/** The name of a color; a custom color is named by its hex value. */
export const colorName = (color: string | undefined): string =>
  color === undefined || color === '' ? 'None' : (COLORS.find(({ hex }) => hex === color.toLowerCase())?.name ?? color)
