import { AppError } from '../../../domain/errors'
import { didYouMean } from '../../kit/arguments/suggest'
import { defineCommand } from '../../kit/command'
import { SHELLS } from '../../kit/shells'

export const command = defineCommand({
  summary: 'Print a completion script for your shell',
  args: [{ name: 'SHELL', help: `one of ${SHELLS.join(', ')}`, complete: SHELLS }],
  hasJson: false,
  examples: [
    { line: 'lode completion bash', does: 'for ~/.bashrc: source <(lode completion bash)' },
    { line: 'lode completion zsh', does: 'to a file _lode in a folder of $fpath' },
    { line: 'lode completion fish', does: 'to ~/.config/fish/completions/lode.fish' },
  ],
  async run(context, { args: [name = ''] }) {
    const shell = SHELLS.find((each) => each === name)
    if (shell === undefined)
      throw new AppError('invalid', `SHELL must be one of ${SHELLS.join(', ')}.${didYouMean(name, SHELLS)}`)
    context.io.out(await context.completionScript(shell))
    return undefined
  },
})
