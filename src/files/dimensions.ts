import { disableTypes, imageSize } from "image-size";

/** Of a picture, in pixels. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** How much of a file is looked at: photographs have their size behind the notes of the camera. */
export const DIMENSIONS_BYTES = 512 * 1024;

// Only what browsers show and what tells its size in a few plain bytes: files come from anybody.
disableTypes(["dds", "heif", "icns", "j2c", "jp2", "jxl", "jxl-stream", "ktx", "psd", "svg", "tga", "tiff", "pnm"]);

/**
 * The size of the picture that these are the first bytes of; null for what is no picture, or too odd a one. One that
 * was taken with the camera on its side counts as it is shown.
 */
export function dimensionsOf(head: Uint8Array): Dimensions | null {
  try {
    const { width, height, orientation = 1 } = imageSize(head);
    const isTurned = orientation >= 5 && orientation <= 8;
    return isTurned ? { width: height, height: width } : { width, height };
  } catch {
    return null;
  }
}
