import { countCalls, DEATHS, type Death, type StoryResult, tellStory, withStories } from './story.ts';

/** A machine with more to do than cores takes no less time. */
const AT_A_TIME = 3;

export type Stories = { calls: number; told: StoryResult[] };

/** `every`: 1 for each call, 5 for every fifth; the two ways to die take turns, so that more calls are met. */
export function tellStories(ralph: string, { every }: { every: number }): Promise<Stories> {
  return withStories(async (folder) => {
    const { calls, broken } = await countCalls(folder, ralph);
    if (broken.length > 0) throw new Error(`The story in which no git dies fails: ${broken.join('; ')}`);
    const deaths = planDeaths(calls, every);
    const results: StoryResult[] = [];
    const work = async (): Promise<void> => {
      for (let death = deaths.shift(); death !== undefined; death = deaths.shift())
        results.push(await tellStory(folder, ralph, death));
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return { calls, told: results.sort((one, other) => one.death.number - other.death.number) };
  });
}

const planDeaths = (calls: number, every: number): Death[] =>
  Array.from({ length: calls }, (_, index) => index + 1).flatMap((number) =>
    DEATHS.filter((_, turn) => (number + turn * Math.floor(every / 2)) % every === 0).map((how) => ({
      number,
      how,
    })),
  );
