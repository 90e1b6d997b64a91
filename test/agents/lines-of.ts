/** Lines as they come. One loop over them may end, and another goes on. */
export function linesOf(stdout: ReadableStream<Uint8Array>): AsyncIterable<string> {
  const reader = stdout.getReader()
  const decoder = new TextDecoder()
  const ready: string[] = []
  let rest = ''
  async function next(): Promise<IteratorResult<string>> {
    for (;;) {
      const line = ready.shift()
      if (line !== undefined) return { done: false, value: line }
      const read = await reader.read()
      if (read.done) return { done: true, value: undefined }
      rest += decoder.decode(read.value, { stream: true })
      ready.push(...rest.split('\n'))
      rest = ready.pop() ?? ''
    }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}
