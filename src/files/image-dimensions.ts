import { disableTypes, imageSize } from "image-size";

/** Dimensions in pixels. */
export interface ImageDimensions {
  readonly width: number;
  readonly height: number;
}

/** Number of bytes to inspect: the size of a photograph comes after the camera's metadata. */
export const DIMENSION_HEADER_BYTES = 512 * 1024;

// Only formats that browsers display and whose size is in a few plain bytes: files come from untrusted sources.
disableTypes(["dds", "heif", "icns", "j2c", "jp2", "jxl", "jxl-stream", "ktx", "psd", "svg", "tga", "tiff", "pnm"]);

/**
 * Returns the dimensions of an image from its first bytes; null if it is not an image, or one with extreme dimensions.
 * Applies the orientation of photographs.
 */
export function readImageDimensions(head: Uint8Array): ImageDimensions | null {
  try {
    const { width, height, orientation = 1 } = imageSize(head);
    const isRotated = orientation >= 5 && orientation <= 8;
    return isRotated ? { width: height, height: width } : { width, height };
  } catch {
    return null;
  }
}
