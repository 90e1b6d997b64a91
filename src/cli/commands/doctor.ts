import type { Doctor } from '../../api/contract/wire'
import type { UnboxedAgent } from '../../app/agents/agent-sandbox'
import type { HookState } from '../../app/agents/agent-setup'
import type { ModState } from '../../app/mod/install-mod'
import type { SandboxMode } from '../../config/keys/worker-keys'
import { missingHomes } from '../../config/missing-homes'
import type { Agent } from '../../domain/agent'
import { defineCommand } from '../kit/command'
import type { Context } from '../kit/context'
import { bytes, count, plural } from '../print/measures'
import { fields, table } from '../print/table'
import { wakesByHook } from '../setup/add-hooks'
import { restartOf } from '../views/machine-views'

export const command = defineCommand({
  summary: 'Check the record for unknown, malformed and missing data',
  examples: [
    { line: 'lode doctor', does: 'check storage, the collector, unknown records and gaps' },
    {
      line: 'lode doctor --json',
      does: 'print JSON for a bug report; it contains paths but no conversation text',
    },
  ],
  async run(context) {
    const { warnings, entries, config } = context.configReport()
    // The default one of a CLI that is not in use is not there; whoever sets one means a folder that is.
    const missing = entries.flatMap(({ key, value, origin, source }) =>
      origin === 'default' ? [] : missingHomes(key, value).map((path) => ({ path, key, source })),
    )
    const asWarnings = missing.map(({ path, key, source }) => `${key} in ${source} names ${path}, which is not there.`)
    const configWarnings = [...warnings, ...asWarnings]
    const { client, url } = await context.connection()
    const [{ homeOption, hookStates }, { unboxedAgents }, { modOf }] = await Promise.all([
      import('../../app/agents/agent-setup'),
      import('../../app/agents/agent-sandbox'),
      import('../../app/mod/install-mod'),
    ])
    const [, home = null] = homeOption(config.home, context.io.env)
    const mod = modOf(home, context.io.env, context.io.cwd)
    const [doctor, { agents }, { noSandbox, whyOpen, doubt }, unboxed, hooks] = await Promise.all([
      client.doctor({ signal: context.signal }),
      client.agents.list({}, { signal: context.signal }),
      sandboxHere(config.worker.sandbox, context.io.env),
      unboxedAgents(context.io.env),
      hookStates(config, wakesByHook(config.messages), context.io),
    ])
    const network = whyOpen === null ? config.worker.network : ['open']
    const machine = { noSandbox, network, unboxed, hooks, mod }
    const restarts = agents.filter((agent) => restartOf(agent) !== null)
    context.answer({ server: url, configWarnings, ...machine, sandboxDoubt: doubt, restarts, ...doctor }, () =>
      doctorView(doctor, url, context.io.columns, { ...machine, doubt, missing }, restarts),
    )
  },
})

/** What is known of this machine beside its record: what bounds tasks here, and which hooks are set up. */
export interface ThisMachine {
  /** Why they have no sandbox; `null` = they have. */
  noSandbox: string | null
  /** What is not known of it; `null` = nothing. */
  doubt: string | null
  /** Agent CLIs whose tasks never have one. */
  unboxed: readonly UnboxedAgent[]
  /** What they reach in it, as `worker.network` says. */
  network: readonly string[]
  /** Folders of agent CLIs that settings name and that are not there. */
  missing: readonly { path: string; key: string }[]
  /** How it stands with the hooks of each agent CLI. */
  hooks: readonly HookState[]
  /** The same with the mod of Claude Code. */
  mod: ModState | 'unknown'
}

/** Why tasks have no sandbox on this machine, or none with a network of its own; `null` = they have. */
async function sandboxHere(mode: SandboxMode, env: Context['io']['env']) {
  const none = { whyOpen: null, doubt: null }
  if (mode === 'off') return { ...none, noSandbox: 'worker.sandbox is off' }
  const { findSandbox, usedSandbox } = await import('../../worker/sandbox/find-sandbox')
  const found = usedSandbox(await findSandbox(env), mode)
  if ('why' in found) return { ...none, noSandbox: found.why }
  if (found.kind === 'bubblewrap') return { ...none, noSandbox: null, whyOpen: found.whyOpen }
  const { SEATBELT_DOUBT } = await import('../../worker/sandbox/seatbelt/seatbelt')
  return { ...none, noSandbox: null, doubt: `that of macOS, ${SEATBELT_DOUBT}` }
}

function networkWords({ noSandbox, network }: ThisMachine): string {
  if (noSandbox !== null || network.includes('open')) return 'open: tasks here can reach everything'
  return `tasks here reach their model, Lodeline and: ${network.join(', ') || 'nothing more'}`
}

function sandboxWords({ noSandbox, doubt, unboxed }: ThisMachine): string {
  if (noSandbox !== null) return `none for tasks here: ${noSandbox}`
  const all = doubt === null ? 'tasks here run in one' : `tasks here run in one: ${doubt}`
  return [all, ...unboxed.map(({ agent, why }) => `not those of ${agent}: ${why}`)].join('; ')
}

/** Those that are not set up are named where none is, or where their CLI is used. */
function hookWords(hooks: readonly HookState[]): string {
  const isSetUp = ({ state }: HookState) => state !== 'none'
  const there = hooks.filter((each) => isSetUp(each) || each.isUsed)
  if (!there.some(isSetUp)) {
    const asked = there.length > 0 ? there : hooks
    return `none; ${asked.map(({ command }) => `'${command}'`).join(' or ')} adds them`
  }
  return there.map((each) => `${each.agent}: ${stateWords(each)}`).join('; ')
}

function stateWords({ state, command, why }: HookState): string {
  switch (state) {
    case 'ready':
      return 'set up'
    case 'incomplete':
      return `not complete, run '${command} --update-hooks'`
    case 'skipped':
      return `skipped, as nobody told the program to trust them: run '${command}'`
    case 'off':
      return 'off, as disableAllHooks is set'
    case 'unknown':
      return `not known: ${why}`
    case 'none':
      return `none, '${command}' adds them`
  }
}

const MOD_WORDS: Readonly<Record<ThisMachine['mod'], string>> = {
  none: "none; 'lode setup claude --mod' adds it",
  ready: 'set up for Claude Code; runs do not load it',
  outdated: "of another version: run 'lode setup claude --mod'",
  foreign: 'its folder belongs to something else',
  unknown: 'set up; its files are not beside this program to compare with',
}

/** Reading them takes as long as reading all that was recorded. */
const packWords = (packs: number): string | null =>
  packs === 0 ? null : `${count(packs)}, not read now; 'lode db check' reads ${packs === 1 ? 'it' : 'all of them'}`

const ROWS_SHOWN = 10

/**
 * @param url  the server's address; `null` = the answer was made in this process
 * @param restarts  machines whose worker runs a former program
 */
export function doctorView(
  doctor: Doctor,
  url: string | null,
  columns: number,
  machine: ThisMachine,
  restarts: readonly Agent[] = [],
): string {
  const { hooks } = machine
  const { storage, collector } = doctor
  const rows = Object.entries(storage.rows).flatMap(([name, rowCount]) =>
    rowCount > 0 ? [`${name} ${count(rowCount)}`] : [],
  )
  const versions = doctor.agentVersions.map(({ agent, version }) => (version === null ? agent : `${agent} ${version}`))
  const parts = [
    fields([
      ['lode', `${doctor.version}, ${doctor.runtime}`],
      ['server', url ?? 'not running'],
      ...restarts.map((each) => ['restart', `${each.name} ${restartOf(each)}`] as const),
      ['storage', `${storage.kind}, ${storage.location}, schema ${storage.schemaVersion}`],
      ['size', storage.bytes === null ? null : bytes(storage.bytes)],
      [
        'settings',
        Object.entries(storage.settings)
          .map(([name, value]) => `${name}=${value}`)
          .join(' ') || null,
      ],
      ['rows', rows.join(', ') || null],
      ['packs', packWords(storage.rows.packs ?? 0)],
      ['sandbox', sandboxWords(machine)],
      ['network', networkWords(machine)],
      ['hooks', hookWords(hooks)],
      ['mod', MOD_WORDS[machine.mod]],
      ['agents seen', versions.join(', ') || 'none'],
      ['folders', collector === null ? null : collector.roots.join(', ') || 'none'],
      ['kinds', `${doctor.knownKinds} known, ${doctor.unknownKinds.length} unknown`],
    ]),
  ]
  const section = (title: string, body: string, total: number) => {
    const more = total > ROWS_SHOWN ? `... and ${total - ROWS_SHOWN} more; --json lists them\n` : ''
    if (total > 0) parts.push(`${title}\n${body}${more}`)
  }
  section(
    `${plural(doctor.unknownKinds.length, 'kind')} of records unknown to this version (stored unchanged):`,
    table(
      doctor.unknownKinds.slice(0, ROWS_SHOWN),
      [
        { title: 'AGENT', cell: (kind) => kind.agent },
        { title: 'VERSION', cell: (kind) => kind.version, spare: 1 },
        { title: 'IN', cell: (kind) => kind.journalKind, spare: 2 },
        { title: 'COUNT', cell: (kind) => count(kind.count), align: 'right' },
        { title: 'KIND', cell: (kind) => kind.name, max: 120, flexible: 20 },
      ],
      columns,
    ),
    doctor.unknownKinds.length,
  )
  section(
    `${plural(doctor.malformedLines.length, 'malformed line')} (stored unchanged):`,
    table(
      doctor.malformedLines.slice(0, ROWS_SHOWN),
      [
        { title: 'OFFSET', cell: (line) => String(line.offset), align: 'right' },
        { title: 'BYTES', cell: (line) => String(line.length), align: 'right', spare: 1 },
        { title: 'REASON', cell: (line) => line.reason, max: 60 },
        { title: 'FILE', cell: (line) => line.path, flexible: 20 },
      ],
      columns,
    ),
    doctor.malformedLines.length,
  )
  section(
    `${plural(doctor.gaps.length, 'gap')} in the record:`,
    table(
      doctor.gaps.slice(0, ROWS_SHOWN),
      [
        { title: 'REASON', cell: (gap) => gap.reason, max: 80 },
        { title: 'FILE', cell: (gap) => gap.path, flexible: 20 },
      ],
      columns,
    ),
    doctor.gaps.length,
  )
  section(
    `${plural(machine.missing.length, 'folder')} in your settings that ${machine.missing.length === 1 ? 'is' : 'are'} not there:`,
    table(
      machine.missing.slice(0, ROWS_SHOWN),
      [
        { title: 'SETTING', cell: ({ key }) => key },
        { title: 'FOLDER', cell: ({ path }) => path, flexible: 20 },
      ],
      columns,
    ),
    machine.missing.length,
  )
  if (parts.length === 1) parts.push('no problems found.\n')
  return parts.join('\n')
}
