import { CODE_CLASSES, type Runs } from '../../lib/code/colour-kinds'

/** A line of code with its colours. The text is whole whatever the colours say: they only tell where it is cut. */
export function CodeLine({ text, runs }: { text: string; runs: Runs | undefined }) {
  if (runs === undefined || runs.length === 0) return text
  const parts = []
  let from = 0
  for (let at = 0; at < runs.length; at += 2) {
    const piece = text.slice(from, runs[at])
    const look = CODE_CLASSES[runs[at + 1] ?? 0]
    parts.push(
      look ? (
        <span key={from} className={look}>
          {piece}
        </span>
      ) : (
        piece
      ),
    )
    from = runs[at] ?? from
  }
  return [...parts, text.slice(from)]
}
