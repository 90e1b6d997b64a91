/** Answers of a scripted model that come as a stream of events. */

/** A piece of an answer, and how long the model thinks before it, in milliseconds. */
export interface Piece {
  text: string
  afterMs?: number
}

/** What a model says; word by word with a pause before each, where told so. */
export interface Say {
  text: string
  /** Milliseconds. */
  pauseMs?: number
}

/** The words of a text, each with the space behind it; the whole text where it is said at once. */
export const wordsOf = ({ text, pauseMs }: Say): string[] =>
  pauseMs === undefined ? [text] : (text.match(/\S+\s*/g) ?? [])

/** The pieces as the body of an answer. Ends with its reader. */
export function streamed(pieces: readonly Piece[]): Response {
  async function* chunks(): AsyncGenerator<string> {
    for (const { text, afterMs = 0 } of pieces) {
      if (afterMs > 0) await Bun.sleep(afterMs)
      yield text
    }
  }
  const encoder = new TextEncoder()
  const source = chunks()
  const body = new ReadableStream({
    async pull(controller) {
      const { value, done } = await source.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => void source.return(undefined),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
