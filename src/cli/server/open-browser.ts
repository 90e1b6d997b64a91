import type { Io } from '../kit/io'

/** A program that passes the address on is done by then; one that stays is the browser itself. */
const SETTLED_MS = 3_000

/**
 * Shows an address of ours in the person's browser, by the desktop's own program for that. No shell sees the address.
 *
 * @param url  of the server that the caller speaks to, over HTTP
 * @returns `false` when there is no desktop here or its program failed
 */
export async function openBrowser(url: string, io: Io, platform: string = process.platform): Promise<boolean> {
  const program = findOpener(io.env, platform)
  if (program === null || !/^https?:\/\//.test(url)) return false
  try {
    const child = Bun.spawn([program, url], { env: io.env, stdio: ['ignore', 'ignore', 'ignore'] })
    child.unref()
    const code = await Promise.race([child.exited, Bun.sleep(SETTLED_MS)])
    return code === undefined || code === 0
  } catch {
    return false
  }
}

/** On a terminal without a desktop `xdg-open` would start a browser of text in it. */
function findOpener(env: Io['env'], platform: string): string | null {
  const find = (name: string) => Bun.which(name, { PATH: env.PATH ?? '' })
  if (platform === 'darwin') return find('open')
  const isWindowsBelow = Boolean(env.WSL_DISTRO_NAME || env.WSL_INTEROP)
  const opener = isWindowsBelow ? find('wslview') : null
  return opener ?? (env.DISPLAY || env.WAYLAND_DISPLAY ? find('xdg-open') : null)
}
