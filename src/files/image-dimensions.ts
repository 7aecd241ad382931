import { disableTypes, imageSize } from "image-size";

/** Of a picture, in pixels. */
export interface ImageDimensions {
  readonly width: number;
  readonly height: number;
}

/** How much of a file is looked at: photographs have their size behind the notes of the camera. */
export const DIMENSION_HEADER_BYTES = 512 * 1024;

// Only what browsers show and what tells its size in a few plain bytes: files come from anybody.
disableTypes(["dds", "heif", "icns", "j2c", "jp2", "jxl", "jxl-stream", "ktx", "psd", "svg", "tga", "tiff", "pnm"]);

/**
 * The size of the picture that these are the first bytes of; null for what is no picture, or too odd a one. One that
 * was taken with the camera on its side counts as it is shown.
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
