/** Resolves when `is` holds; looks after every turn of the loop, and fails after `withinMs`. */
export async function until(is: () => boolean, withinMs = 5_000): Promise<void> {
  const end = performance.now() + withinMs
  while (!is()) {
    if (performance.now() > end) throw new Error(`never came true: ${is}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
