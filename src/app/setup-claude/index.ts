export { defersTodoTools, type HookRow, hidesTodoTools, hookRows, TODO_TOOLS_VARIABLE } from './hook-rows'
export { checkSetup, type SetupCheck, type SetupOutcome, setUp, takeDown } from './setup'
export { cliVersion, homeOption, hookProgram, measureHooks, pluginFolder } from './surroundings'
