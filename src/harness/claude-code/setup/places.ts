import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** The CLI's own folder. */
export const configFolder = ({ CLAUDE_CONFIG_DIR: folder, HOME }: Environment, cwd: string): string =>
  folder ? resolve(cwd, folder) : join(HOME || homedir(), '.claude')

/** The settings of its user, for all projects. */
export const userSettings = (env: Environment, cwd: string): string => join(configFolder(env, cwd), 'settings.json')
