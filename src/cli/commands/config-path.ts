import { existsSync } from 'node:fs'
import { defineCommand } from '../command'
import { fields } from '../table'

export const command = defineCommand({
  summary: 'Show which files settings are read from',
  examples: [
    { line: 'lode config path', does: "Lodeline's folder and the settings files" },
    { line: 'lode config path --json', does: 'the same as {home, userFile, userFileExists, projectFile}' },
  ],
  async run(context) {
    const { config, userFile, projectFile } = context.configReport()
    const answer = { home: config.home, userFile, userFileExists: existsSync(userFile), projectFile }
    context.answer(answer, () =>
      fields([
        ['folder', answer.home],
        ["user's file", answer.userFileExists ? userFile : `${userFile} (not there yet)`],
        ["project's file", projectFile ?? 'none here (.lodeline/config.yaml in a repository)'],
      ]),
    )
  },
})
