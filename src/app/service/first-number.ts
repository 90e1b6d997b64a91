/** The number that the pattern's group holds; `null` = there is none, or it is 0, which names no process. */
export function firstNumber(pattern: RegExp, text: string): number | null {
  return Number(pattern.exec(text)?.[1] ?? 0) || null
}
