import type { Io } from '../kit/io'
import type { Line, ScreenSize } from './draw'
import { type Key, KeyReader } from './keys'

/** The terminal as a screen of its own. Whatever ends the process but SIGKILL gives the terminal back as it was. */
export interface Screen {
  size(): ScreenSize
  draw(lines: readonly Line[]): void
  close(): void
}

/** Another page, without a cursor and without wrapping at the edge; pastes come marked as such. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h'
const LEAVE = '\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[0m\u001b[?1049l'

/** @param onKeys  hears of what is typed; `onResize` of another size */
export function openScreen(io: Io, onKeys: (keys: Key[]) => void, onResize: () => void): Screen {
  const { stdin, stdout } = process
  const reader = new KeyReader()
  let isOpen = true
  let drawn: string[] = []
  const onData = (bytes: Buffer) => onKeys(reader.read(bytes))
  const resized = () => {
    drawn = []
    onResize()
  }
  const leave = () => {
    if (!isOpen) return
    isOpen = false
    try {
      io.out(LEAVE)
      stdin.setRawMode(false)
    } catch {
      // The terminal is gone.
    }
  }
  const quit = () => process.exit(131)
  // Also after an error that nobody caught, and after a second signal.
  process.on('exit', leave)
  process.on('SIGQUIT', quit)
  stdin.setRawMode(true)
  stdin.on('data', onData)
  stdin.resume()
  stdout.on('resize', resized)
  io.out(ENTER)
  return {
    size: () => ({ columns: stdout.columns || 80, lines: stdout.rows || 24 }),
    draw(lines) {
      if (!isOpen) return
      const next = lines.map(({ text, isMarked }) => (isMarked ? `\u001b[7m${text}\u001b[27m` : text))
      const isNew = drawn.length !== next.length
      const changed = next.flatMap((text, i) =>
        isNew || text !== drawn[i] ? [`\u001b[${i + 1};1H\u001b[2K${text}`] : [],
      )
      if (changed.length > 0) io.out(`${isNew ? '\u001b[2J' : ''}${changed.join('')}`)
      drawn = next
    },
    close() {
      leave()
      process.off('exit', leave)
      process.off('SIGQUIT', quit)
      stdin.off('data', onData)
      stdin.pause()
      stdout.off('resize', resized)
    },
  }
}
