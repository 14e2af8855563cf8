/** For tests of programs that use Turnwise: providers that say what they are told to. */
export { calls, type ScriptedProvider, type ScriptedReply, says, scriptedProvider } from './scripted.ts'
