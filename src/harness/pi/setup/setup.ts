import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { AppError } from '../../../domain/errors'
import {
  HOOKS_ALONE,
  type HookRow,
  NOTHING_BESIDE,
  type SetupCheck,
  type SetupOptions,
  type SetupOutcome,
} from '../../../domain/harness/harness-setup'
import type { ListedTool } from '../../../domain/harness/listed-tool'
import { readSettings } from '../../hook-settings/settings-file'
import { checkPart, type SettingsPart, setUpPart, takeDownPart } from '../../hook-settings/settings-part'
import { isOurExtension, personExtension } from '../extension/of-person'

/** What stands for the extension among rows of hooks. */
const EVENT = 'extension'

/** @param lode  the program as one shell word, with the options that every call has */
export const extensionRow = (lode: string): HookRow => ({ event: EVENT, command: `${lode} hook --agent pi --answer` })

/** Puts our extension beside those of the person. @see HarnessSetup.setUp */
export async function setUp({ home, path, lode, isDryRun, tools }: SetupOptions): Promise<SetupOutcome> {
  const part = partOf(path, lode, await tools())
  const root = dirname(dirname(path))
  if (!existsSync(root))
    throw new AppError('not_found', `There is no folder ${root}.`, {
      hint: "Start 'pi' once, or name its folder in PI_CODING_AGENT_DIR. Nothing was changed.",
    })
  return { file: path, ...setUpPart(part, { home, isDryRun }), ...HOOKS_ALONE }
}

/** @see HarnessSetup.takeDown */
export async function takeDown({
  home,
  path,
  isDryRun,
}: Pick<SetupOptions, 'home' | 'path' | 'isDryRun'>): Promise<SetupOutcome> {
  const part = partOf(path, 'lode', [])
  const text = readSettings(path)
  const isTheirs = text !== '' && !isOurExtension(text)
  const done = isTheirs ? NOTHING_DONE : takeDownPart(part, { home, isDryRun })
  return { file: path, ...done, ...HOOKS_ALONE }
}

/** @see HarnessSetup.check */
export async function check({ path, lode, tools }: Pick<SetupOptions, 'path' | 'lode' | 'tools'>): Promise<SetupCheck> {
  // The tools are asked for only where there is a file of ours.
  const found = isOurExtension(readSettings(path))
    ? checkPart(partOf(path, lode, await tools()))
    : { installed: [], missing: [extensionRow(lode)], outdated: [] }
  return { file: path, ...found, ...NOTHING_BESIDE, disablesHooks: false }
}

const NOTHING_DONE = { added: [], removed: [], isChanged: false, backup: null }

/** @throws `invalid` the CLI would not load such a file */
function partOf(path: string, lode: string, tools: readonly ListedTool[]): SettingsPart {
  if (basename(dirname(path)) !== 'extensions' || !path.endsWith('.js'))
    throw new AppError('invalid', `${path} is no extension that Pi loads for all projects.`, {
      hint: 'Give a .js file in the folder `extensions` of ~/.pi/agent. Nothing was changed.',
    })
  const text = personExtension({
    lode,
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  })
  const row = extensionRow(lode)
  return {
    path,
    agent: 'pi',
    empty: '',
    wanted: [row],
    rowsIn: (present) => {
      if (present === text) return [row]
      if (isOurExtension(present)) return [{ event: EVENT, command: 'of another version or place of Lodeline' }]
      throw new AppError('invalid', `${path} is an extension of somebody else.`, {
        hint: 'Rename it, or give another file with --file. Nothing was changed.',
      })
    },
    add: () => text,
    remove: () => null,
    // It is no JSON.
    check() {},
  }
}
