/** What one client says to PostgreSQL, as the statements that it asks for. Plain connections only. */
export class WireReader {
  private rest: Buffer = Buffer.alloc(0)
  private isStarted = false
  private readonly prepared = new Map<string, string>()
  private readonly portals = new Map<string, string>()

  /** @returns the texts of the statements that this piece completes */
  read(piece: Buffer): string[] {
    this.rest = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece])
    const texts: string[] = []
    for (;;) {
      // The first message of a connection has no kind before its length.
      const head = this.isStarted ? 1 : 0
      if (this.rest.length < head + 4) return texts
      const end = head + this.rest.readInt32BE(head)
      if (this.rest.length < end) return texts
      const text = this.isStarted ? this.message(this.rest.subarray(0, end)) : undefined
      if (text !== undefined) texts.push(text)
      this.isStarted = true
      this.rest = this.rest.subarray(end)
    }
  }

  /** A statement that is executed, if this message asks for one. */
  private message(message: Buffer): string | undefined {
    const [first = '', second = ''] = message.subarray(5).toString('latin1').split('\0', 2)
    switch (String.fromCharCode(message[0] ?? 0)) {
      case 'Q':
        return first
      case 'P':
        this.prepared.set(first, second)
        return undefined
      case 'B':
        this.portals.set(first, this.prepared.get(second) ?? '')
        return undefined
      case 'E':
        return this.portals.get(first) ?? ''
      default:
        return undefined
    }
  }
}
