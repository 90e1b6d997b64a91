/** Runs every step, also after one that failed, so that nothing is left running; then throws what the first failure threw. */
export async function cleanUp(...steps: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
