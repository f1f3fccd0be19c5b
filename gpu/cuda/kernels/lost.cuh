/*
lost.cuh: signals that a test build does not send, one a build (-DLOSE=NAME): whoever waits looks at
the run's status and at the clock, so that a kernel ends whatever is lost.
*/
#pragma once

enum Lost {
    NOTHING,
    // async_near_far: who waits then
    LOST_ENTRY,   // a reserved place of the ring is not filled      its taker
    LOST_PLACE,   // a taken place of the ring is not freed          who comes round the ring
    LOST_PACKET,  // a packet is not marked as full                  its taker
    LOST_RETURN,  // a taken packet's place is not marked as free    who comes round the packets
    LOST_REPORT,  // a block does not report                         the pacer
    LOST_END,     // the pacer does not say that the run has ended   every block
    // supersteps
    LOST_ARRIVAL,  // a block does not arrive at the barrier         every block
    LOST_MODE,     // block 0 does not say that the run is done      every block
    // adds
    LOST_ORDER,       // an assignment is not sent                   the manager and a worker
    LOST_COMPLETION,  // a worker does not count what it finished    the manager
    LOST_WRITTEN,     // written items are not counted               the manager
    LOST_BLOCK,       // a pool block is not published               its writers
    LOST_LEAVE,       // the manager does not say that the run ended every worker
    // all pairs
    LOST_QUIET  // a round always says that it changed something     its block
};

#ifndef LOSE
#define LOSE NOTHING
#endif
