import type { Observation, ParsedLines } from '../../domain/record/observation'

/** Takes back what a line said when reading it failed: a mistake of ours costs one line, and shows. */
export function readSafely(
  { observations, malformed }: ParsedLines,
  { offset, length }: { offset: number; length: number },
  read: (into: Observation[]) => void,
): void {
  const before = observations.length
  try {
    read(observations)
  } catch (cause) {
    observations.length = before
    const message = cause instanceof Error ? cause.message : String(cause)
    malformed.push({ offset, length, reason: `not readable: ${message.slice(0, 200)}` })
  }
}
