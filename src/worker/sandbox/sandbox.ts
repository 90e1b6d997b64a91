import { realpathSync } from 'node:fs'
import type { SandboxMode } from '../../config/worker-keys'
import { AppError } from '../../domain/errors'
import { BOX_WORDS, type Bubblewrap, findBubblewrap, SYSTEM_WORDS } from './bubblewrap'
import { type LayoutOptions, layout, whyNoBox } from './layout'
import { mountWords } from './mounts'

/** How a run is kept from the rest of its machine; `words` go before its command, none = it is not. */
export interface Box {
  words: readonly string[]
  /** For the attempt's log; `null` = nothing is to be said. */
  note: string | null
}

/** What is not known before a run: `null` = its agent CLI can't run in a sandbox. */
export type BoxOptions = Omit<LayoutOptions, 'state'> & { state: LayoutOptions['state'] | null }

/** The sandboxes of one worker. Whether this machine has any is tried once. */
export class Sandboxes {
  readonly #env: Readonly<Record<string, string | undefined>>
  #found: Promise<Bubblewrap> | null = null

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env
  }

  /** Why runs here have no sandbox; `null` = they have. */
  async whyNone(): Promise<string | null> {
    const found = await this.#find()
    return 'why' in found ? found.why : null
  }

  /** @throws `invalid` one is required, and this run can't have it */
  async boxFor(mode: SandboxMode, given: () => BoxOptions): Promise<Box> {
    if (mode === 'off') return { words: [], note: null }
    const found = await this.#find()
    const options = given()
    const real = realPlaces(options)
    const why = 'why' in found ? found.why : (whyNoBox(real) ?? (real.state === null ? 'its agent CLI has none' : null))
    if (!('why' in found) && real.state !== null && why === null) {
      const mounts = mountWords(layout({ ...real, state: real.state }))
      // The folder as the CLI was given it; the words of the mounts end here.
      const words = [found.path, ...BOX_WORDS, ...mounts, ...SYSTEM_WORDS, '--chdir', real.place.cwd, '--']
      return { words, note: 'in a sandbox: it writes in its folder only, and sees no keys of yours' }
    }
    if (mode === 'auto') return { words: [], note: `without a sandbox: ${why}` }
    throw new AppError('invalid', `This worker requires a sandbox, and the task can't have one: ${why}.`, {
      hint: "Install bubblewrap, give the task another folder, or run 'lode config set worker.sandbox auto' on the worker's machine.",
    })
  }

  #find(): Promise<Bubblewrap> {
    this.#found ??= findBubblewrap(this.#env)
    return this.#found
  }
}

/** Mounts are made where a folder really is; links to it lead there in the sandbox, too. */
function realPlaces(options: BoxOptions): BoxOptions {
  const { place, userHome, home, scratch, runFolder, hooksFolder } = options
  return {
    ...options,
    place: { root: real(place.root), cwd: real(place.cwd) },
    userHome: real(userHome),
    home: real(home),
    scratch: real(scratch),
    runFolder: real(runFolder),
    hooksFolder: real(hooksFolder),
  }
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
