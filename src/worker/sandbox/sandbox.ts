import { realpathSync } from 'node:fs'
import type { SandboxMode } from '../../config/keys/worker-keys'
import { AppError } from '../../domain/errors'
import type { Unboxed } from '../../domain/harness/harness-run'
import { BOX_WORDS, SYSTEM_WORDS } from './bubblewrap'
import { type FoundSandbox, findSandbox, type Machine, usedSandbox } from './find-sandbox'
import { type LayoutOptions, layout, whyNoBox } from './layout'
import { mountWords } from './mounts'
import { isOpenNetwork, type NetworkOptions, openLoopback, openNetwork } from './network/network'
import { SEATBELT_DOUBT, seatbelt } from './seatbelt/seatbelt'

/** How a run is kept from the rest of its machine; `words` go before its command, none = it is not. */
export interface Box {
  words: readonly string[]
  /** Whether these start processes around the run's own, which stay. */
  isAround: boolean
  /** Lodeline's folder, where the run gets another one; `null` = it does not. */
  home: string | null
  /** What its environment has beside, or instead. */
  env: Readonly<Record<string, string>>
  /** For the attempt's log; `null` = nothing is to be said. */
  note: string | null
  /** The run is over. */
  close(): void
}

export interface BoxOptions extends Omit<LayoutOptions, 'state'> {
  state: LayoutOptions['state'] | Unboxed
  network: NetworkOptions
}

const NO_BOX: Omit<Box, 'note'> = { words: [], isAround: false, home: null, env: {}, close: () => {} }

/** The sandboxes of one worker. Whether this machine has any is tried once. */
export class Sandboxes {
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #machine: Machine | undefined
  #found: Promise<FoundSandbox> | null = null

  /** @param machine  default: this one */
  constructor(env: Readonly<Record<string, string | undefined>>, machine?: Machine) {
    this.#env = env
    this.#machine = machine
  }

  /** Why runs here have no sandbox; `null` = they have. */
  async whyNone(mode: SandboxMode): Promise<string | null> {
    const found = await this.#find(mode)
    return 'why' in found ? found.why : null
  }

  /** Why runs in sandboxes here reach the whole network, whatever the settings say; `null` = they do not. */
  async whyOpen(mode: SandboxMode): Promise<string | null> {
    const found = await this.#find(mode)
    return 'why' in found ? null : found.whyOpen
  }

  /** @throws `invalid` one is required, and this run can't have it */
  async boxFor(mode: SandboxMode, given: () => BoxOptions): Promise<Box> {
    if (mode === 'off') return { ...NO_BOX, note: null }
    const found = await this.#find(mode)
    const options = given()
    const real = realPlaces(options)
    const { state } = real
    const why = 'why' in found ? found.why : (whyNoBox(real) ?? ('why' in state ? state.why : null))
    if (!('why' in found) && !('why' in state) && why === null) {
      const whyOpen = isOpenNetwork(real.network.words()) ? null : found.whyOpen
      if (whyOpen !== null && mode === 'require') throw noNetwork(whyOpen)
      const given = { ...real, state }
      return found.kind === 'seatbelt'
        ? seatbeltBox(found.path, given, real.network)
        : boxOf(found.path, given, real.network, whyOpen)
    }
    if (mode === 'auto') return { ...NO_BOX, note: `without a sandbox: ${why}` }
    throw new AppError('invalid', `This worker requires a sandbox, and the task can't have one: ${why}.`, {
      hint: "Install bubblewrap on Linux, give the task another folder, or run 'lode config set worker.sandbox auto' on the worker's machine.",
    })
  }

  async #find(mode: SandboxMode): Promise<FoundSandbox> {
    this.#found ??= findSandbox(this.#env, this.#machine)
    return usedSandbox(await this.#found, mode)
  }
}

const noNetwork = (why: string): AppError =>
  new AppError('invalid', `This worker requires a sandbox, and none can have a network of its own here: ${why}.`, {
    hint: "Run 'lode config set worker.network open' on the worker's machine to let tasks in the sandbox reach everything.",
  })

/** @param whyOpen  why it can't have a network of its own, though it should; `null` = it can */
function boxOf(bwrap: string, options: LayoutOptions, given: NetworkOptions, whyOpen: string | null): Box {
  const isOpen = whyOpen !== null || isOpenNetwork(given.words())
  const mounts = mountWords(layout(options))
  const network = isOpen ? null : openNetwork(given)
  const { space = [], mounts: way = [], before = [], env = {} } = network ?? {}
  // The folder as the CLI was given it; the words of the mounts end here.
  const inside = [...way, ...SYSTEM_WORDS, '--chdir', options.place.cwd, '--', ...before]
  const since = whyOpen === null ? '' : `, since it can't have one of its own here: ${whyOpen}`
  return {
    words: [bwrap, ...BOX_WORDS, ...space, ...mounts, ...inside],
    isAround: true,
    home: null,
    env,
    note: `in a sandbox: ${bounds(isOpen)}${since}`,
    close: () => network?.close(),
  }
}

/** The program of macOS becomes the run itself: nothing is around it. */
function seatbeltBox(sandboxExec: string, options: LayoutOptions, given: NetworkOptions): Box {
  const network = isOpenNetwork(given.words()) ? null : openLoopback(given)
  const { words, env, home } = seatbelt(sandboxExec, options, network?.ports ?? 'all')
  return {
    words,
    isAround: false,
    home,
    env: { ...env, ...network?.env },
    note: `in a sandbox of macOS, ${SEATBELT_DOUBT}: ${bounds(network === null)}`,
    close: () => network?.close(),
  }
}

const bounds = (isOpen: boolean): string =>
  `it writes in its folder only, sees no keys of yours, and reaches ${isOpen ? 'the whole network' : 'its model, Lodeline and the hosts of worker.network'}`

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
