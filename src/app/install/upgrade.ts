/** Brings the newest program here, by the way this one came. */
import { AppError } from '../../domain/errors'
import { shellLine } from '../../util/shell-words'
import { VERSION } from '../../util/version'
import type { Command } from '../service/service-plan'
import type { Installation } from './installation'
import { isNewerVersion } from './is-newer-version'

/** Runs a program to its end. */
export type Run = (command: Command) => { exitCode: number; stdout: string; stderr: string }

export interface UpgradeLook {
  way: Installation['way']
  current: string
  /** A version, or the commit of a repository; `null` = it could not be asked. */
  latest: string | null
  isNewer: boolean
  /** What brings the newest, in order; empty where it has to be brought by hand. */
  commands: string[]
}

/** What there is, without changing anything. */
export function lookForUpgrade(installation: Installation, run: Run): UpgradeLook {
  const { current, latest, isNewer } = compare(installation, run)
  const commands = upgradeCommands(installation).map(shellLine)
  return { way: installation.way, current, latest, isNewer, commands }
}

/** @throws `unavailable` it has to be brought by hand, or a command failed */
export function upgrade(installation: Installation, run: Run): void {
  const commands = upgradeCommands(installation)
  if (commands.length === 0)
    throw new AppError('unavailable', `This program came by ${installation.way}, which Lodeline can't update.`, {
      hint: BY_HAND[installation.way] ?? 'Install the new release as you installed this one.',
    })
  for (const command of commands) {
    const { exitCode, stdout, stderr } = run(command)
    if (exitCode === 0) continue
    const said = (stderr.trim() || stdout.trim()).split('\n')[0]
    throw new AppError('unavailable', `${shellLine(command)} failed: ${said || `exit code ${exitCode}`}`, {
      hint: 'Run it yourself to see all that it says.',
    })
  }
}

const BY_HAND: Partial<Record<Installation['way'], string>> = {
  npx: "Run 'npx lodeline@latest'.",
  image: 'Build the image from the new release, and start a container with the same volume.',
  machine: "Run 'lode machine upgrade NAME' where the machine was added.",
  file: 'Put the executable of the new release in its place.',
}

function upgradeCommands(installation: Installation): Command[] {
  switch (installation.way) {
    case 'npm':
      return [['npm', 'install', '--global', '--prefix', installation.prefix, 'lodeline@latest']]
    case 'homebrew':
      return [['brew', 'upgrade', 'lodeline']]
    case 'script': {
      const { from, prefix } = installation
      if (!isAddress(from)) return [['sh', `${from}/install.sh`, '--from', from, '--prefix', prefix]]
      // Fetched whole before it runs.
      const script = 'text=$(curl -fsSL "$0/install.sh") && printf "%s\\n" "$text" | sh -s -- --from "$0" --prefix "$1"'
      return [['sh', '-c', script, from.replace(/\/$/, ''), prefix]]
    }
    case 'repository':
      return [
        ['git', '-C', installation.root, 'pull', '--ff-only'],
        ['npm', '--prefix', installation.root, 'run', 'build'],
      ]
    case 'npx':
    case 'image':
    case 'machine':
    case 'file':
      return []
  }
}

function compare(installation: Installation, run: Run): Pick<UpgradeLook, 'current' | 'latest' | 'isNewer'> {
  if (installation.way === 'repository') {
    const current = ask(run, ['git', '-C', installation.root, 'rev-parse', 'HEAD']) ?? VERSION
    const latest = ask(run, ['git', '-C', installation.root, 'ls-remote', 'origin', 'HEAD'])?.split(/\s/)[0] ?? null
    return { current, latest, isNewer: latest !== null && latest !== '' && latest !== current }
  }
  const latest = latestVersion(installation, run)
  return { current: VERSION, latest, isNewer: latest !== null && isNewerVersion(latest, VERSION) }
}

function latestVersion(installation: Installation, run: Run): string | null {
  switch (installation.way) {
    case 'npm':
    case 'npx':
      return version(ask(run, ['npm', 'view', 'lodeline', 'version']))
    case 'homebrew':
      return version(/"stable":\s*"([^"]+)"/.exec(ask(run, ['brew', 'info', '--json=v2', 'lodeline']) ?? '')?.[1])
    case 'script': {
      const { from } = installation
      const script = isAddress(from)
        ? ask(run, ['curl', '-fsSL', `${from.replace(/\/$/, '')}/install.sh`])
        : ask(run, ['cat', `${from}/install.sh`])
      return version(/^version='([^']+)'$/m.exec(script ?? '')?.[1])
    }
    default:
      return null
  }
}

const isAddress = (from: string): boolean => from.includes('://')
const version = (text: string | null | undefined): string | null => (text && /^\d+\.\d+\.\d+/.test(text) ? text : null)

function ask(run: Run, command: Command): string | null {
  const { exitCode, stdout } = run(command)
  return exitCode === 0 ? stdout.trim() : null
}
