import { existsSync } from 'node:fs'
import type { ConfigKey } from './keys'

/** Folders of agent CLIs that a setting names and that are not there: none, or none yet, or one whose name was meant otherwise. */
export const missingHomes = (key: ConfigKey, value: unknown): string[] =>
  /^agents\..*\.homes$/.test(key) && Array.isArray(value) ? value.filter((folder) => !existsSync(folder)) : []
