/** What a run says that no line of its transcript holds yet, by the pieces of its output. */

/**
 * - `words`  the model goes on with its message
 * - `said`   what it was saying is over: a line has it, or nothing will
 * - `output` a call goes on giving out; `isWhole`: the text is all of it so far, not what came since
 * - `done`   the call has its answer
 */
export type LivePiece =
  | { kind: 'words'; text: string }
  | { kind: 'said' }
  | { kind: 'output'; call: string; text: string; isWhole: boolean }
  | { kind: 'done'; call: string }

export interface LiveOutput {
  call: string
  text: string
}

/** `isCut`: the beginning of the words is left out. */
export interface LiveWords {
  words: string
  isCut: boolean
  outputs: LiveOutput[]
}

/** @param isWhole  the pieces begin with the output: else the first words may be the middle of a message */
export function foldLive(pieces: Iterable<LivePiece>, isWhole: boolean): LiveWords {
  let words = ''
  let hasBegin = isWhole
  const outputs = new Map<string, string>()
  for (const piece of pieces) {
    switch (piece.kind) {
      case 'words':
        words += piece.text
        break
      case 'said':
        words = ''
        hasBegin = true
        break
      case 'output':
        outputs.set(piece.call, piece.isWhole ? piece.text : (outputs.get(piece.call) ?? '') + piece.text)
        break
      case 'done':
        outputs.delete(piece.call)
    }
  }
  const told = [...outputs].filter(([, text]) => text.trim() !== '')
  return { words, isCut: words !== '' && !hasBegin, outputs: told.map(([call, text]) => ({ call, text })) }
}

/**
 * The last `limit` characters of a text that grows, in whole words: of a word that is not finished nobody knows yet whether it is a secret.
 * Mask the text first.
 */
export function wholeWords(text: string, limit: number, isCut: boolean): { text: string; isCut: boolean } {
  // A key is written over several lines.
  const key = text.lastIndexOf('-----BEGIN ')
  const isOpen = key !== -1 && !text.includes('-----END ', key)
  const end = (isOpen ? text.slice(0, key) : text).search(/\s\S*$/)
  const known = text.slice(0, end + 1)
  if (!isCut && known.length <= limit) return { text: known, isCut: false }
  const tail = known.slice(-limit)
  const begin = tail.search(/\s/)
  return { text: begin === -1 ? '' : tail.slice(begin + 1).toWellFormed(), isCut: true }
}
