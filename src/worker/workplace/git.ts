import { AppError } from '../../domain/errors'

/** Runs git in a folder, without a shell, prompts or the repository variables of the parent process. @throws `invalid` with git's words */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const env: Record<string, string> = { GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'XDG_CONFIG_HOME', 'SSH_AUTH_SOCK']) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  let child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  try {
    child = Bun.spawn(['git', ...args], { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  } catch (cause) {
    throw new AppError('invalid', `git can't be run in ${cwd}: ${(cause as Error).message}`, {
      hint: 'Install git, or create the task without a worktree.',
      cause,
    })
  }
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code === 0) return out.trim()
  const lastLine = err.trim().split('\n').at(-1)?.slice(0, 500) ?? ''
  throw new AppError('invalid', `git ${args[0]} failed in ${cwd}: ${lastLine || `exit code ${code}`}`)
}
