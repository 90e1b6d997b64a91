import { isAbsolute } from 'node:path'

/** Variables by which programs and the agent CLI find the folder for temporary files. */
export const TEMPORARY_VARIABLES = ['TMPDIR', 'TMP', 'TEMP', 'CLAUDE_CODE_TMPDIR']

/** Where a run puts temporary files, by its environment. */
export const temporaryFolders = (env: Readonly<Record<string, string>>): string[] => [
  ...new Set(TEMPORARY_VARIABLES.flatMap((name) => (isAbsolute(env[name] ?? '') ? [env[name] ?? ''] : []))),
]
