/** What pages need a script for: copying a text to the clipboard. Pages work without it. */

for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
  const field = document.querySelector<HTMLInputElement>(`#${button.dataset["copy"]}`);
  if (!field) continue;
  button.hidden = false;
  button.addEventListener("click", () => {
    field.select();
    void copy(field.value, button);
  });
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    // Without permission the text stays selected, ready for the keyboard.
    button.textContent = "Press Ctrl+C";
  }
}
