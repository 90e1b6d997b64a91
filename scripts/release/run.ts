/** Runs a program of this machine to its end. Gives what it printed. @throws Error with what it said */
export async function run(command: readonly [string, ...string[]], cwd: string): Promise<string> {
  const child = Bun.spawn([...command], { cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command.slice(0, 2).join(' ')} failed in ${cwd}:\n${out}${err}`)
  return out
}
