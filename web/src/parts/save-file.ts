/** Hands a text or a blob to the browser as a download. */
export function saveFile({ name, text, type = 'application/json' }: { name: string; text: string; type?: string }): void {
  saveBlob(name, new Blob([text], { type }))
}

export function saveBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
