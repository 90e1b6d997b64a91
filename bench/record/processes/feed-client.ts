import type { FeedEntry } from '../../../src/domain/feed'
import type { Server } from '../../common/lode'

/** Follows a server's feed as server-sent events until it is closed. */
export class FeedClient {
  /** Entries received so far. */
  count = 0
  private readonly ending = new AbortController()
  private readonly onEntry: (entry: FeedEntry, at: number) => void

  private constructor(onEntry: (entry: FeedEntry, at: number) => void) {
    this.onEntry = onEntry
  }

  /** @param onEntry  told of each entry and of `performance.now()` when it came */
  static async open(server: Server, onEntry: (entry: FeedEntry, at: number) => void): Promise<FeedClient> {
    const client = new FeedClient(onEntry)
    const response = await fetch(`${server.url}/api/feed`, { headers: server.headers, signal: client.ending.signal })
    if (!response.ok || !response.body) throw new Error(`/api/feed: ${response.status}`)
    const reader = response.body.getReader()
    // The first text says that the server follows for us from here.
    await reader.read()
    client.follow(reader).catch(() => {})
    return client
  }

  close(): void {
    this.ending.abort()
  }

  private async follow(reader: { read(): Promise<{ value?: Uint8Array; done: boolean }> }): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const at = performance.now()
      text += decoder.decode(value, { stream: true })
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1]
        if (data === undefined) continue
        this.count++
        this.onEntry(JSON.parse(data) as FeedEntry, at)
      }
    }
  }
}
