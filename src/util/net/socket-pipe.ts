/**
 * Two sockets joined to one way. `lode bridge` loads this file at the start of each sandboxed run: Bun's own sockets only, which are there
 * without a module.
 */
type Socket = Bun.Socket<SocketEnd>

/** One socket of a way: what comes goes to `onData` until it is joined, then to its peer, no faster than that one takes it. */
export class SocketEnd {
  /** When something last came or went, as `performance.now()` says. */
  movedAt = performance.now()
  #socket: Socket | null = null
  #peer: SocketEnd | null = null
  /** What the socket did not take yet. */
  #waiting: Uint8Array[] = []
  #isEnding = false
  #isClosed = false
  readonly #onData: (bytes: Uint8Array, end: SocketEnd) => void
  readonly #onClose: () => void

  constructor(onData: (bytes: Uint8Array, end: SocketEnd) => void, onClose: () => void = () => {}) {
    this.#onData = onData
    this.#onClose = onClose
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** From now on what comes here goes there, and the other way; when one ends, so does the other, after what it still has to take. */
  join(peer: SocketEnd): void {
    this.#peer = peer
    peer.#peer = this
    if (this.#isClosed) peer.end()
    if (peer.#isClosed) this.end()
  }

  write(bytes: Uint8Array): void {
    this.movedAt = performance.now()
    if (this.#isClosed || this.#isEnding) return
    this.#waiting.push(bytes)
    this.#flush()
  }

  /** Takes no more from this socket until `resume`. */
  pause(): void {
    this.#socket?.pause()
  }

  resume(): void {
    if (!this.#isClosed) this.#socket?.resume()
  }

  /** Closes it after what it still has to take. */
  end(): void {
    this.#isEnding = true
    // What comes meanwhile is for nobody; unread it would hold up the end.
    this.resume()
    if (this.#waiting.length === 0) this.#socket?.end()
  }

  /** Closes it now. */
  destroy(): void {
    this.#waiting = []
    this.#socket?.terminate()
    this.closed()
  }

  opened(socket: Socket): void {
    this.#socket = socket
    if (this.#isClosed) socket.terminate()
    else this.#flush()
  }

  took(bytes: Uint8Array): void {
    this.movedAt = performance.now()
    if (this.#isEnding) return
    if (this.#peer === null) this.#onData(bytes, this)
    else this.#peer.write(bytes)
  }

  drained(): void {
    this.movedAt = performance.now()
    this.#flush()
  }

  closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#waiting = []
    this.#peer?.end()
    this.#onClose()
  }

  #flush(): void {
    const socket = this.#socket
    if (socket === null) return
    for (let bytes = this.#waiting[0]; bytes !== undefined; bytes = this.#waiting[0]) {
      const written = socket.write(bytes)
      if (written < 0) {
        this.destroy()
        return
      }
      if (written < bytes.length) {
        this.#waiting[0] = bytes.subarray(written)
        this.#peer?.pause()
        return
      }
      this.#waiting.shift()
    }
    if (this.#isEnding) socket.end()
    else this.#peer?.resume()
  }
}

/** For `Bun.listen` and `Bun.connect`, whose `data` is the socket's end. */
export const SOCKET_HANDLERS = {
  binaryType: 'uint8array',
  data: (socket: Socket, bytes: Uint8Array) => socket.data.took(bytes),
  drain: (socket: Socket) => socket.data.drained(),
  close: (socket: Socket) => socket.data.closed(),
  error: (socket: Socket) => socket.data.destroy(),
} as const
