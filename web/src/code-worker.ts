/**
 * Colours code beside the page: a file that takes a second, or for ever, holds up nothing there. It gets lines and gives back numbers, so
 * nothing that it says can become markup.
 */
import { colourLines } from './lib/code/colour-lines'
import type { ColourAnswer, ColourQuestion } from './lib/code/colour-queue'
import { newHighlighter } from './lib/code/grammars'

/** The part of a worker's world that is used: its types and those of pages do not fit into one program. */
interface WorkerScope {
  postMessage(answer: ColourAnswer | 'ready'): void
  addEventListener(kind: 'message', hear: (event: { data: ColourQuestion }) => void): void
}

const scope = self as unknown as WorkerScope
const highlighter = newHighlighter()

scope.addEventListener('message', ({ data: { language, blocks } }) =>
  scope.postMessage({ blocks: blocks.map((lines) => colourLines(highlighter, language, lines)) }),
)
scope.postMessage('ready')
