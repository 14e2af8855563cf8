// Scales an image down to what providers accept.
import { type DraftFile, LARGEST_IMAGE, scaledSize } from '../../store/message/attachments.ts'

type Image = Omit<DraftFile, 'id'>

/** An image as large as providers take it: scaled down where it is larger, and then it says so. */
export async function shrink(image: Image): Promise<Image> {
  const bitmap = await createImageBitmap(new Blob([image.bytes], { type: image.mediaType })).catch(() => null)
  // What the browser cannot draw, the gateway judges by its bytes.
  if (bitmap === null) return image
  const { width, height } = bitmap
  const size = scaledSize({ width, height }, image.bytes.length)
  const smaller = size === null ? null : await drawn(bitmap, size, image)
  bitmap.close()
  if (size === null || smaller === null) return image
  const what = size.width === width ? 'packed smaller' : `scaled down from ${width} × ${height} to ${size.width} × ${size.height}`
  return { ...smaller, note: image.mediaType === 'image/gif' ? `${what}; it does not move any more` : what }
}

/** Drawings stay drawings where that is small enough; everything else becomes a photograph on white. */
async function drawn(
  bitmap: ImageBitmap,
  { width, height }: { width: number; height: number },
  image: Image,
): Promise<Image | null> {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const brush = canvas.getContext('2d')
  if (brush === null) return null
  brush.drawImage(bitmap, 0, 0, width, height)
  const png = image.mediaType === 'image/jpeg' ? null : await packed(canvas, 'image/png')
  if (png !== null && png.length <= LARGEST_IMAGE.bytes)
    return { ...image, mediaType: 'image/png', name: renamed(image.name, 'png'), bytes: png }
  brush.globalCompositeOperation = 'destination-over'
  brush.fillStyle = 'white'
  brush.fillRect(0, 0, width, height)
  const jpeg = await packed(canvas, 'image/jpeg')
  return jpeg === null ? null : { ...image, mediaType: 'image/jpeg', name: renamed(image.name, 'jpg'), bytes: jpeg }
}

const packed = (canvas: HTMLCanvasElement, type: string): Promise<Uint8Array<ArrayBuffer> | null> =>
  new Promise(resolve => {
    canvas.toBlob(blob => resolve(blob === null ? null : blob.arrayBuffer().then(buffer => new Uint8Array(buffer))), type, 0.86)
  })

const renamed = (name: string, ending: string): string =>
  new RegExp(`\\.${ending === 'jpg' ? 'jpe?g' : ending}$`, 'i').test(name)
    ? name
    : `${name.replace(/\.[a-z]{3,4}$/i, '')}.${ending}`
