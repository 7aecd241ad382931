/** Returns the contrast ratio of two opaque colours, `rgb(…)` or `color(srgb …)`, after WCAG 2. */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(colour: string): number {
  const numbers = [...colour.matchAll(/[\d.]+/g)].map(([digits]) => Number(digits));
  const parts = numbers.slice(0, 3).map((part) => (colour.startsWith("rgb") ? part / 255 : part));
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
